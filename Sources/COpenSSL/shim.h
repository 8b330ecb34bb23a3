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
#include <openssl/x509v3.h>
#include <string.h>

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
// A name of the certificate: a DNS name among its alternative names. The name's length; 0 for an entry that is no such
// name, or longer than `size`; -1 behind the last.
static inline int copenssl_dns_name(X509 *x, int index, char *out, int size) {
  GENERAL_NAMES *names = (GENERAL_NAMES *)X509_get_ext_d2i(x, NID_subject_alt_name, NULL, NULL);
  if (names == NULL) return -1;
  int length = -1;
  if (index < sk_GENERAL_NAME_num(names)) {
    GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
    length = 0;
    if (name->type == GEN_DNS) {
      int count = ASN1_STRING_length(name->d.dNSName);
      if (count > 0 && count <= size) {
        memcpy(out, ASN1_STRING_get0_data(name->d.dNSName), (size_t)count);
        length = count;
      }
    }
  }
  GENERAL_NAMES_free(names);
  return length;
}
static inline int copenssl_common_name(X509 *x, char *out, int size) {
  return X509_NAME_get_text_by_NID(X509_get_subject_name(x), NID_commonName, out, size);
}
static inline void copenssl_set_name_callback(SSL_CTX *c, int (*chosen)(SSL *, int *, void *), void *context) {
  SSL_CTX_set_tlsext_servername_callback(c, chosen);
  SSL_CTX_set_tlsext_servername_arg(c, context);
}
static inline int copenssl_sends_in_kernel(SSL *s) { return (int)BIO_get_ktls_send(SSL_get_wbio(s)); }
