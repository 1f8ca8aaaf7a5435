"""Messages: lines of a fixed width, suggestions for misspelt names, commands that install what is missing."""
