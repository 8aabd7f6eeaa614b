// What name.txt says.
const char *cname_text(void);
