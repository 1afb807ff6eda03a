"""How the site bears many people at once, and what it keeps when things go wrong."""
