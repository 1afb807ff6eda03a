"""From judgments to findings: every planned number, with its n, interval, method and signature."""
