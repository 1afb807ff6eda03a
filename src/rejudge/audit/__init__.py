"""Whether the numbers that a paper prints are possible and consistent."""
