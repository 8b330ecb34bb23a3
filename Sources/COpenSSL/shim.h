#pragma once
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

// Macros with arguments, which Swift does not see.

static const uint64_t COPENSSL_NO_ATEXIT = OPENSSL_INIT_NO_ATEXIT;
static const uint64_t COPENSSL_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t COPENSSL_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t COPENSSL_IGNORE_UNEXPECTED_EOF = SSL_OP_IGNORE_UNEXPECTED_EOF;
static const uint64_t COPENSSL_SERVER_PREFERENCE = SSL_OP_CIPHER_SERVER_PREFERENCE;
static const uint64_t COPENSSL_PRIORITIZE_CHACHA = SSL_OP_PRIORITIZE_CHACHA;
static const uint64_t COPENSSL_KERNEL = SSL_OP_ENABLE_KTLS;

static inline void copenssl_set_mode(SSL_CTX *c, long mode) { SSL_CTX_set_mode(c, mode); }
static inline void copenssl_clear_mode(SSL_CTX *c, long mode) { SSL_CTX_clear_mode(c, mode); }
static inline int copenssl_set_min_version(SSL_CTX *c, int version) {
  return (int)SSL_CTX_set_min_proto_version(c, version);
}
static inline void copenssl_set_session_cache(SSL_CTX *c, long mode) {
  SSL_CTX_set_session_cache_mode(c, mode);
}
static inline int copenssl_add_chain_certificate(SSL_CTX *c, X509 *x) {
  return (int)SSL_CTX_add1_chain_cert(c, x);
}
// The parameters' names are kept by pointer, which a string of Swift's has for one call only.
static inline int copenssl_set_hmac_sha256(EVP_MAC_CTX *m, void *key, size_t count) {
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key, count),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0),
      OSSL_PARAM_construct_end(),
  };
  return EVP_MAC_CTX_set_params(m, parameters);
}
static inline int copenssl_sends_in_kernel(SSL *s) { return (int)BIO_get_ktls_send(SSL_get_wbio(s)); }
