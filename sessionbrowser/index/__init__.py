"""The cache on disk: a row a session (`catalogue`), the full text, and the one file that holds both (`store`)."""
