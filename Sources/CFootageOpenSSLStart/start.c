#include <openssl/crypto.h>

// Before anything else uses OpenSSL. Of itself it registers a handler that frees all it has when a program calls `exit`
// (OPENSSL_cleanup, as OpenSSL 3 has it), while threads that serve or fetch are still at work with it: they end the program
// by a signal then, after all was said and done.
__attribute__((constructor)) static void start(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }
