"""How batches are assigned: who arrives, which batch they get, and its state afterwards.

Pure decisions. The store keeps what is decided here; the pages show it.
"""
