"""How far people agree: alpha, kappa, Gwet's coefficients, ICC, generalizability theory."""
