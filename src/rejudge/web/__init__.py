"""The participants' pages and the researcher's dashboard."""
