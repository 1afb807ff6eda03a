"""Can these printed numbers be? What a paper prints, checked against itself."""
