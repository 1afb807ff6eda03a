"""The one result: a number with its address, which everything lists, judges, compares and draws."""
