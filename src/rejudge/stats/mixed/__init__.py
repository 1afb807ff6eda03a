"""Mixed models: linear, ordinal and binary, with random intercepts or free slopes."""
