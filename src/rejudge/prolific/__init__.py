"""Prolific: create and run its studies, follow submissions, review and pay."""
