// OpenSSL 3, and inline functions for what it defines as macros, which Swift does not import.
#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

static inline int copenssl_set_min_version(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_min_proto_version(context, version);
}
static inline int copenssl_set_max_version(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_max_proto_version(context, version);
}
static inline long copenssl_set_mode(SSL_CTX *context, long mode) { return SSL_CTX_set_mode(context, mode); }
static inline void copenssl_set_read_ahead(SSL_CTX *context, int on) { SSL_CTX_set_read_ahead(context, on); }
static inline int copenssl_set_groups(SSL_CTX *context, const char *groups) {
  return (int)SSL_CTX_set1_groups_list(context, groups);
}
static inline long copenssl_set_session_cache_mode(SSL_CTX *context, long mode) {
  return SSL_CTX_set_session_cache_mode(context, mode);
}
static inline int copenssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
static inline STACK_OF(X509_NAME) * copenssl_names_new(void) { return sk_X509_NAME_new_null(); }
static inline int copenssl_names_push(STACK_OF(X509_NAME) * names, X509_NAME *name) {
  return sk_X509_NAME_push(names, name);
}
static inline STACK_OF(X509) * copenssl_certificates_new(void) { return sk_X509_new_null(); }
// Takes over the reference when it succeeds.
static inline int copenssl_certificates_push(STACK_OF(X509) * certificates, X509 *certificate) {
  return sk_X509_push(certificates, certificate);
}
// Of a null stack there are none.
static inline int copenssl_certificates_count(const STACK_OF(X509) * certificates) {
  return certificates ? sk_X509_num(certificates) : 0;
}
static inline X509 *copenssl_certificates_at(const STACK_OF(X509) * certificates, int index) {
  return sk_X509_value(certificates, index);
}
static inline void copenssl_certificates_free(STACK_OF(X509) * certificates) {
  sk_X509_pop_free(certificates, X509_free);
}
// Of a certificate without names there is no list.
static inline STACK_OF(GENERAL_NAME) * copenssl_subject_names(const X509 *certificate) {
  return (STACK_OF(GENERAL_NAME) *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}
static inline int copenssl_subject_names_count(const STACK_OF(GENERAL_NAME) * names) {
  return sk_GENERAL_NAME_num(names);
}
static inline GENERAL_NAME *copenssl_subject_names_at(const STACK_OF(GENERAL_NAME) * names, int index) {
  return sk_GENERAL_NAME_value(names, index);
}
static inline void copenssl_subject_names_free(STACK_OF(GENERAL_NAME) * names) {
  sk_GENERAL_NAME_pop_free(names, GENERAL_NAME_free);
}
// The parts of a PKCS#12 file, and what is in one of them; of a null stack there are none.
static inline int copenssl_parts_count(const STACK_OF(PKCS7) * parts) { return parts ? sk_PKCS7_num(parts) : 0; }
static inline PKCS7 *copenssl_parts_at(const STACK_OF(PKCS7) * parts, int index) { return sk_PKCS7_value(parts, index); }
static inline void copenssl_parts_free(STACK_OF(PKCS7) * parts) { sk_PKCS7_pop_free(parts, PKCS7_free); }
static inline int copenssl_bags_count(const STACK_OF(PKCS12_SAFEBAG) * bags) {
  return bags ? sk_PKCS12_SAFEBAG_num(bags) : 0;
}
static inline PKCS12_SAFEBAG *copenssl_bags_at(const STACK_OF(PKCS12_SAFEBAG) * bags, int index) {
  return sk_PKCS12_SAFEBAG_value(bags, index);
}
static inline void copenssl_bags_free(STACK_OF(PKCS12_SAFEBAG) * bags) {
  sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
}
static inline int copenssl_set_server_name(SSL *ssl, const char *name) {
  return (int)SSL_set_tlsext_host_name(ssl, name);
}
static inline void copenssl_retry_read(BIO *bio) {
  BIO_clear_retry_flags(bio);
  BIO_set_retry_read(bio);
}
static inline void copenssl_retry_write(BIO *bio) {
  BIO_clear_retry_flags(bio);
  BIO_set_retry_write(bio);
}
static inline void copenssl_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
// A ticket's HMAC; the parameters' names are macros.
static inline int copenssl_set_mac_key(EVP_MAC_CTX *mac, void *key, size_t length) {
  char digest[] = "SHA256";
  OSSL_PARAM parameters[] = {OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key, length),
                             OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                             OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(mac, parameters);
}
static inline void copenssl_set_verify_time(SSL *ssl, time_t seconds) {
  X509_VERIFY_PARAM_set_time(SSL_get0_param(ssl), seconds);
}

// SSL_OP_* are 64-bit shifts in a macro.
static inline uint64_t copenssl_server_options(void) {
  return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA |
         SSL_OP_IGNORE_UNEXPECTED_EOF;
}

static inline uint64_t copenssl_client_options(void) {
  return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF;
}

// ERR_GET_REASON is an inline function behind a macro.
static inline int copenssl_error_reason(unsigned long code) { return ERR_GET_REASON(code); }

#endif
