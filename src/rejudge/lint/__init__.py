"""What is wrong or weak in a study: each finding with a code, its places and a remedy."""
