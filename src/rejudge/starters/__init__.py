"""Study folders to start from, which come with the package; `folders` reads them."""
