"""Questions asked of methods and studies, one a file."""
