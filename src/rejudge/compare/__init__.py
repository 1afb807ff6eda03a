"""Was it reproduced? Runs of one study compared, with their conditions beside every number."""
