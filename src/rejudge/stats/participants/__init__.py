"""How participants work: times, behaviour, guessing, reliability of their labels."""
