#pragma once
#include <curl/curl.h>

// curl_easy_setopt and its kin are variadic, which Swift cannot call: one function for each type of argument.

typedef size_t (*ccurl_data_function)(char *, size_t, size_t, void *);

static inline CURLcode ccurl_set_long(CURL *h, CURLoption o, long v) {
  return curl_easy_setopt(h, o, v);
}
static inline CURLcode ccurl_set_string(CURL *h, CURLoption o, const char *v) {
  return curl_easy_setopt(h, o, v);
}
static inline CURLcode ccurl_set_list(CURL *h, CURLoption o, struct curl_slist *v) {
  return curl_easy_setopt(h, o, v);
}
static inline CURLcode ccurl_set_pointer(CURL *h, CURLoption o, void *v) {
  return curl_easy_setopt(h, o, v);
}
// libcurl only reads them, and copies them first.
static inline CURLcode ccurl_set_copied_blob(CURL *h, CURLoption o, const void *v, size_t n) {
  struct curl_blob b = {(void *)v, n, CURL_BLOB_COPY};
  return curl_easy_setopt(h, o, &b);
}
static inline CURLcode ccurl_set_data_function(CURL *h, CURLoption o, ccurl_data_function f) {
  return curl_easy_setopt(h, o, f);
}
static inline CURLcode ccurl_set_open_socket_function(CURL *h, curl_opensocket_callback f, void *p) {
  CURLcode c = curl_easy_setopt(h, CURLOPT_OPENSOCKETFUNCTION, f);
  return c ? c : curl_easy_setopt(h, CURLOPT_OPENSOCKETDATA, p);
}
static inline CURLcode ccurl_set_progress_function(CURL *h, curl_xferinfo_callback f, void *p) {
  CURLcode c = curl_easy_setopt(h, CURLOPT_XFERINFOFUNCTION, f);
  if (!c) c = curl_easy_setopt(h, CURLOPT_XFERINFODATA, p);
  return c ? c : curl_easy_setopt(h, CURLOPT_NOPROGRESS, 0L);
}
static inline CURLcode ccurl_get_long(CURL *h, CURLINFO i, long *v) {
  return curl_easy_getinfo(h, i, v);
}
static inline CURLcode ccurl_get_offset(CURL *h, CURLINFO i, curl_off_t *v) {
  return curl_easy_getinfo(h, i, v);
}
static inline CURLcode ccurl_get_string(CURL *h, CURLINFO i, char **v) {
  return curl_easy_getinfo(h, i, v);
}
static inline CURLMcode ccurl_multi_set_socket_function(CURLM *m, curl_socket_callback f, void *p) {
  CURLMcode c = curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, f);
  return c ? c : curl_multi_setopt(m, CURLMOPT_SOCKETDATA, p);
}
static inline CURLMcode ccurl_multi_set_timer_function(CURLM *m, curl_multi_timer_callback f, void *p) {
  CURLMcode c = curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, f);
  return c ? c : curl_multi_setopt(m, CURLMOPT_TIMERDATA, p);
}
// A member of a union, which Swift does not see.
static inline CURLcode ccurl_message_result(const CURLMsg *m) { return m->data.result; }
static inline CURLMcode ccurl_multi_set_long(CURLM *m, CURLMoption o, long v) {
  return curl_multi_setopt(m, o, v);
}

// A macro with a cast, which Swift does not see.
static const long CCURL_AUTH_BASIC = CURLAUTH_BASIC;
