"""Agreement: alpha, kappa, Gwet's coefficients, ICC, generalizability theory."""
