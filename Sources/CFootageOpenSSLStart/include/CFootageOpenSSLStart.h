// Nothing to call: what is linked with this begins OpenSSL as start.c says.
