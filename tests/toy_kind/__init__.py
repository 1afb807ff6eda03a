"""A kind of question that is defined outside of rejudge."""
