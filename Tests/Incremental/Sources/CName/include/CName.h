// Returns the text of name.txt.
const char *cname_text(void);
