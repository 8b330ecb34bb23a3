/// What numbers, times, names and texts can be that nobody thinks of: the one table of them.
///
/// Whatever a stranger may write is tried with these: as they are, and in the place of each number of a value that
/// would be right.
public enum HostileValues {
  // MARK: Numbers

  /// In the place of any number.
  public static let numbers: [String] =
    ["0", "-0", "1", "-1", "00", "+1", "2", "99", "255", "256", "257", "999999999"]
    + [
      "32767", "32768", "65535", "65536", "2147483647", "2147483648", "-2147483648", "-2147483649",
    ]
    + ["4294967295", "4294967296", "9007199254740992", "9007199254740993", "9223372036"]
    + ["9223372037", "9223372036854775", "9223372036854775806", "9223372036854775807"]
    + ["9223372036854775808", "-9223372036854775807", "-9223372036854775808"]
    + ["-9223372036854775809", "18446744073709551615", "18446744073709551616"]
    + ["99999999999999999999999999", "1e9", "1e18", "1e19", "1e308", "-1e308", "1e309", "5e-324"]
    + ["1e-400", "NaN", "nan", "inf", "-inf", "Infinity", "0.1", "-0.0000001", ".5", "5.", "1.2.3"]
    + ["0x10", "0x7fffffffffffffff", "0b1", "0o7", "1_000", "1,000", "1 000", "١٢٣", "１"]

  /// In the place of a number in the middle of something: years, hours, ports, lengths.
  public static let insertedNumbers: [String] =
    ["0", "00", "0000", "-1", "+1", "1", "13", "24", "25", "60", "61", "99", "256", "1600", "1969"]
    + ["1970", "2200", "2262", "2263", "9999", "10000", "99999", "292277026596", "2147483648"]
    + ["4294967296", "9223372036", "9223372036854775807", "9223372036854775808"]
    + ["-9223372036854775808", "18446744073709551616", "99999999999999999999999", "1e308", ""]

  // MARK: Times

  public static let times: [String] =
    [
      "0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1600-01-01T00:00:00Z",
      "1677-09-21T00:12:43Z", "1677-09-21T00:12:44Z", "1969-12-31T23:59:59Z",
      "1969-12-31T23:59:59.999999999Z", "1970-01-01T00:00:00Z", "2000-02-30T00:00:00Z",
      "2026-06-30T23:59:60Z", "2026-11-20T24:00:00Z", "2026-13-01T00:00:00Z",
      "2026-00-00T00:00:00Z", "2038-01-19T03:14:08Z", "2100-02-29T00:00:00Z",
      "2199-12-31T23:59:59Z", "2200-01-01T00:00:00Z", "2262-04-11T23:47:16Z",
      "2262-04-11T23:47:17Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999999999999999Z",
      "-2026-01-01T00:00:00Z", "+12026-01-01T00:00:00Z", "10000-01-01T00:00:00Z",
      "99999999999-01-01T00:00:00Z", "2026-11-20T18:00:00+99:99", "2026-11-20T18:00:00-24:00",
      "2026-11-20T18:00:00+14:00", "2026-11-20", "2026-11-20T18:00:00", "18:00", "24:00", "-1:00",
      "9223372036854775807:00", "now", "today", "track-start", "-0", "-10m", "+10m", "--10m",
      "-9223372036s", "-9223372037s", "-106752d", "-1e308", "-99999999999999999999h", "1970", "-1",
      "9223372036854775807", "-9223372036854775808", "9223372036.854775807", "9223372036.854775808",
      "-62135596800", "253402300799", "253402300800", "1e19", "nan",
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "Thu, 01 Jan 1970 00:00:00 GMT", "Sat, 01 Jan 0000 00:00:00 GMT",
      "Fri, 31 Dec 9999 23:59:59 GMT", "Fri, 31 Dec 1600 23:59:59 GMT",
      "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT", "Sun, 06 Nov -1 08:49:37 GMT",
    ]

  public static let durations: [String] =
    ["0", "0s", "-1s", "1ns", "1h30m", "90", "1.5h", "1e9h", "100000d", "106751d", "106752d"]
    + ["2562047h", "2562048h", "9223372036s", "9223372037s", "9223372036854775807s", "366d", "10y"]
    + [
      "99999999999999999999999h", "1h1h", "1m1h", "1 h", "h", "1hh", "5m-", "infh", "nans",
      "1e308s",
    ]

  public static let sizes: [String] =
    ["0", "-1", "1B", "100kB", "1GB", "1 GB", "8EiB", "16EiB", "9223372036854775807"]
    + ["9223372036854775808", "18446744073709551615", "18446744073709551616B", "99999999999TB"]
    + ["1e308GB", "nanMB", "0.0000001kB", "1ZB", "GB"]

  /// Those that have broken most: tried before all others, wherever something is a number, a time, or what contains one.
  public static let extremes: [String] =
    ["9223372036854775807", "-9223372036854775808", "18446744073709551615", "9223372036", "1e308"]
    + ["1600-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "-9223372036s", "100000d", "-1"]
    + ["Sun, 06 Nov 1994 9223372036854775807:00:00 GMT"]

  // MARK: Texts

  public static let texts: [[UInt8]] =
    [
      "", " ", "\t", "\u{0}", "a\u{0}b", "\r\n", "a\r\nX-Injected: 1", "\n\n", "\u{1B}[2J",
      "\u{7F}", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{202E}txt", "\u{600},", "e\u{301}", "é", "🎷",
      "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{10FFFF}", "\u{FFFF}", "ﷺ", "İ", "ß", "ſ",
      "null", "true", "false", "undefined", "None", "[]", "{}", "[object Object]", "*", "?", "**",
      "%", "%%", "%s%s%n", "%zz", "%0", "%00", "%2e%2e", "%2F", "%C0%AF", "%ff%fe", "%u0041", "+",
      "..", ".", "../..", "../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "/etc/passwd", "//",
      "/", "\\", "C:\\", "/dev/zero", "/proc/self/environ", "file:///etc/passwd", "~", "~root",
      "-", "--", "-h", "--help", "-rf", "--data=/", "@file", "|id", ";id", "`id`", "$(id)", "${x}",
      "{{7*7}}", "<script>alert(1)</script>", "'", "\"", "' OR 1=1 --", "a'b\"c<d>&e", "]]>",
      "<!--",
      "&amp;", "&#0;", "&#xFFFFFFFF;", "a=b&c=d", "a&a&a", "=", "&", ",", ",,,,", ";", ":", "::",
      "#",
      "http://", "http://[", "http://[::1]:99999/", "http://a:b@c:-1/", "https://\u{430}.test/",
      "http://127.0.0.1:1/", "http://169.254.169.254/", "ftp://x/", "javascript:1", "data:,x",
      "push:", "station:", "station:steady", "file:", "file:/", "silence", "127.0.0.1",
      "0.0.0.0/0", "10.0.0.0/33", "10.0.0.0/-1", "::/0", "::1/129", "::ffff:1.2.3.4", "1.2.3",
      "bearer", "Basic", "Basic !!!", "Basic =", "Basic Og==", "gzip;q=1e308", "utf-8", "UTF-7",
      "utf-16", "wchar_t", "//TRANSLIT", "UTF-8//IGNORE", "Europe/Berlin", "../../../etc/localtime",
      "+99:99", "{station}", "{*}", "{artist}{artist}", "%Y-%m-%d", "%100000000Y",
    ].map { Array($0.utf8) } + [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80, 0x80],
      [0xE2, 0x82],
      Array(0...31), Array(128...255),
    ] + long

  /// Texts that are merely long, each in a way of its own.
  private static let long: [[UInt8]] =
    [64, 65, 255, 256, 257, 1000, 4096, 7000].map {
      [UInt8](repeating: UInt8(ascii: "a"), count: $0)
    }
    + ["9", "-", ".", "/", "%41", "../", "é", "\u{301}", ",", "a,", "*", "*a", "(", "{*}"].map {
      Array(String(repeating: $0, count: 1500).utf8)
    }

  // MARK: All of them

  /// Everything that a value can be, besides what comes from one that would be right.
  public static let all: [[UInt8]] =
    (numbers + times + durations + sizes).map { Array($0.utf8) } + texts

  /// `good` with each of its numbers replaced, and what it is with something before, behind, or twice.
  public static func variants(of good: String) -> [[UInt8]] {
    let text = Array(good.utf8)
    var variants: [[UInt8]] = [text, text + text, [32] + text + [32], text + [0]]
    for range in digits(in: text) {
      for number in insertedNumbers {
        variants.append(
          Array(text[..<range.lowerBound]) + Array(number.utf8) + text[range.upperBound...])
      }
    }
    for index in text.indices.prefix(24) { variants.append(Array(text[..<index])) }
    return variants
  }

  private static func digits(in text: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var index = 0
    while index < text.count {
      let end = text[index...].firstIndex { !(48...57).contains($0) } ?? text.count
      if end > index { ranges.append(index..<end) }
      index = end + 1
    }
    return ranges
  }

  // MARK: What would be right

  /// By the name of a parameter, a key, a field of a body: what it takes. What has another name is given `examplesElse`.
  public static let examples: [String: [String]] = [
    "at": ["2026-11-20T18:00:00Z", "1763714400", "track-start", "90", "5m"],
    "from": ["-10m", "2026-11-20T18:00:00Z", "1763714400", "18:00", "10"],
    "to": ["-1m", "2026-11-20T18:00:00Z", "19:30", "20", "track-start", "next-track"],
    "until": ["2026-11-23T18:00:00Z"], "offset": ["5m", "90", "1h30m"], "burst": ["4s"],
    "seconds": ["30", "1h30m"], "session": ["kitchen-radio-1"], "token": ["kitchen-radio-1"],
    "loop": ["1"], "titles": ["comments", "icy", "none"], "limit": ["100"], "sid": ["1"],
    "mount": ["/victim", "/late.mp3"], "destination": ["/aac"], "id": ["1"], "json": ["1"],
    "callback": ["callback"], "kinds": ["station-added,title"], "type": ["mp3", "json"],
    "mode": ["updinfo"], "song": ["A - B"], "pass": ["attack-token"], "station": ["victim"],
    "Icy-MetaData": ["1"], "Last-Event-ID": ["17"], "Range": ["bytes=0-1", "bytes=-5,7-9"],
    "upstream": ["http://127.0.0.1:1/x", "push:"], "of": ["steady"], "delay": ["1h"],
    "window": ["1h"], "throttle-bypass": ["30s"], "time-zone": ["Europe/Berlin", "+02:00"],
    "record": ["weekdays 18:00-19:30"], "days": ["mon", "tue-fri"], "name": ["{station} %Y-%m-%d"],
    "overlap": ["2s"], "max-size": ["500MB"], "keep": ["30d"], "keep-count": ["20"],
    "allow": ["192.168.0.0/16"], "deny": ["192.168.9.0/24"], "address": ["203.0.113.7"],
    "metaint": ["16000"], "metadata": ["http://127.0.0.1:1/page"], "title-shift": ["-2.5s"],
    "title-pattern": ["{artist} - {title}"], "mounts": ["/stream.mp3"], "fallback": ["silence"],
    "max-listeners": ["500"], "behind": ["skip"], "metadata-encoding": ["windows-1251"],
    "metadata-candidates": ["windows-1251"], "listen": ["127.0.0.1:8000"], "disk-limit": ["20GB"],
    "public-url": ["https://radio.example.org"], "source-password": ["not-the-admin-token"],
    "url": ["http://127.0.0.1:1/x"], "kind": ["json", "auto"], "interval": ["10s"],
    "timeout": ["5s"], "action": ["rewind", "pause", "live", "seek"], "listener": ["1"],
    "recording": ["1"], "ban": ["1"], "tokens": ["a-shared-secret"], "metadata-url": ["x"],
    "listener-add": ["http://127.0.0.1:1/auth"], "listener-remove": ["http://127.0.0.1:1/auth"],
    "request-headers": ["Referer: https://example.org/"], "proxy": ["socks5h://127.0.0.1:1"],
    "homepage": ["https://example.org/"], "artwork": ["https://example.org/a.png"],
    "programme": ["folder:/srv/music"], "play": ["folder:/srv/music"],
    "every": ["4 tracks", "20m"],
    "trusted-proxies": ["10.0.0.0/8"], "deny-agents": ["Bad*"], "Range-unit": ["bytes"],
  ]
  static let examplesElse = ["1", "1h30m", "2026-11-20T18:00:00Z", "text"]

  /// Body fields are camelCase, keys of the configuration have hyphens.
  public static func examples(for name: String) -> [String] {
    if let known = examples[name] { return known }
    let hyphened = name.reduce(into: "") { text, character in
      text += character.isUppercase ? "-" + character.lowercased() : String(character)
    }
    return examples[hyphened] ?? examplesElse
  }

  /// Everything that is tried for something of this name.
  public static func values(for name: String) -> [[UInt8]] {
    examples(for: name).flatMap(variants) + all
  }
}
