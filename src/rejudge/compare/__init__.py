"""Was it reproduced? Runs of one study compared, with their conditions of measurement."""
