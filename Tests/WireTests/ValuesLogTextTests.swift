import Testing

@testable import Wire

struct LogTextTests {
  @Test(arguments: [
    ("mpv 0.35", "mpv 0.35"), ("", ""), ("a\"b\\c", "a\\x22b\\x5cc"),
    ("a\r\nb\0\t\u{7f}", "a\\x0d\\x0ab\\x00\\x09\\x7f"), ("Ä", "\\xc3\\x84"),
    ("\u{1b}[31mred", "\\x1b[31mred"),
  ])
  func `quotation marks and control characters in a quoted log field are escaped`(
    text: String, escaped: String
  ) {
    #expect(LogText.quotable(text) == escaped)
  }

  @Test(arguments: [
    ("", "-"), ("anna", "anna"), ("anna b", "anna\\x20b"), ("a\"]", "a\\x22]"),
  ])
  func `blanks and quotation marks in a bare log field are escaped`(text: String, escaped: String) {
    #expect(LogText.word(text) == escaped)
  }

  @Test(arguments: [
    ("Motörhead – „Ace“ | 東京", "Motörhead – „Ace“ | 東京"), ("a\nb\r\n", "a\\x0ab\\x0d\\x0a"),
    ("a\u{85}b\u{2028}c\u{2029}", "a\\xc2\\x85b\\xe2\\x80\\xa8c\\xe2\\x80\\xa9"), ("\"\\", "\"\\"),
  ])
  func `a title stays on its line, and readable`(text: String, line: String) {
    #expect(LogText.line(text) == line)
  }

  @Test func `characters that turn the direction of writing are escaped in log lines`() {
    #expect(
      LogText.line("a\u{202E}b\u{2066}c\u{2029}") == #"a\xe2\x80\xaeb\xe2\x81\xa6c\xe2\x80\xa9"#)
  }

  @Test(arguments: [
    ("/jazz", "/jazz"), ("/jazz?offset=5m", "/jazz?offset=5m"),
    ("/jazz?token=secret&offset=5m", "/jazz?token=-&offset=5m"),
    ("/admin.cgi?mode=updinfo&pass=a=b&song=x", "/admin.cgi?mode=updinfo&pass=-&song=x"),
    ("/jazz?TOKEN=a&to%6ben=b&%70assword=c", "/jazz?TOKEN=-&to%6ben=-&%70assword=-"),
    ("/jazz?token&session=abcdefgh", "/jazz?token&session=-"), ("/jazz?", "/jazz?"),
    ("/a?tokens=x&&", "/a?tokens=x&&"),
    // To a String, U+0600 and the & behind it are one character, and so are = and an accent.
    ("/a?x=\u{600}&token=secret", "/a?x=\u{600}&token=-"),
    ("/a?token=\u{301}secret", "/a?token=-"), ("/a?\u{301}x=1&pass=secret", "/a?\u{301}x=1&pass=-"),
    ("/api/v1/sessions/kitchen-radio", "/api/v1/sessions/-"),
    ("/a/hls/s6b0e6260-a3b448ca0fd50aea/a5-6a/2.mp3?b", "/a/hls/-/a5-6a/2.mp3?b"),
    ("/a/hls/%736b-a3/a5-6a/2.mp3", "/a/hls/-/a5-6a/2.mp3"), ("/a//hls//s6-a/", "/a//hls//-/"),
    ("/hls/s6-a", "/hls/-"), ("/a/hls/a5-6a/29-1.mp3", "/a/hls/a5-6a/29-1.mp3"),
    ("/hls/hls/s6-a/x", "/hls/hls/-/x"), ("/hls/stream", "/hls/stream"),
    ("/api/v1/sessions", "/api/v1/sessions"), ("/api/v1/sessions/", "/api/v1/sessions/"),
    ("/api/v1/sessions/\u{301}secret?a=b", "/api/v1/sessions/-?a=b"),
    ("http://h/api/v1/sessions/secret1?token=x", "http://h/api/v1/sessions/-?token=-"),
    ("/api//v1/sessions//secret1/seek", "/api//v1/sessions//-"),
    ("/api/v1/%73essions/secret1", "/api/v1/%73essions/-"),
    ("/api%2Fv1/sessions%2fsecret1", "/api%2Fv1/sessions%2f-"), ("/%/%zz%", "/%/%zz%"),
    ("/api/api/v1/sessions/secret1", "/api/api/v1/sessions/-"),
    ("http://user:secret1@h/a?b=c", "http://h/a?b=c"), ("http://h/a#session=secret1", "http://h/a"),
    ("/a@b", "/a@b"),
    ("/a?x=1&\u{301}token=y", "/a?x=1&\u{301}token=y"), ("/a\u{600}?token=x", "/a\u{600}?token=-"),
  ])
  func `secrets in a request's target are left out of the log`(target: String, shown: String) {
    #expect(LogText.withoutSecrets(target: target) == shown)
  }

  @Test(arguments: [
    (0, 0, "01/Jan/1970:00:00:00 +0000"), (1_795_197_600, 3600, "20/Nov/2026:19:00:00 +0100"),
    (1_795_197_600, -12_600, "20/Nov/2026:14:30:00 -0330"),
    (1_795_219_199, 0, "20/Nov/2026:23:59:59 +0000"),
    (1_795_219_200, 20_700, "21/Nov/2026:05:45:00 +0545"),
  ])
  func `dates are Apache's`(seconds: Int64, offset: Int, text: String) {
    #expect(TimestampText.commonLog(seconds, offset: offset) == text)
  }
}
