import Testing

@testable import Wire

@Suite struct PageTimeTests {
  /// 2026-05-28 20:26:40 UTC.
  private static let now: Int64 = 1_780_000_000
  private static let berlin = ZoneOffsets(
    name: "Europe/Berlin",
    changes: [
      .init(from: .min, offset: 3600), .init(from: 1_774_746_000, offset: 7200),
      .init(from: 1_792_890_000, offset: 3600),
    ])

  @Test(
    arguments: [
      ("2026-05-28T20:26:40Z", 0), ("2026-05-28T22:26:41+02:00", 1), ("1780000007", 7),
      ("1780000007000", 7), ("2026-05-28 22:26:50", 10), ("2026-05-28T22:27:40.5", 60),
      ("05/28/2026 22:26:39", -1), ("28/05/2026 22:26:39", nil), ("22:26:42", 2), ("22:26", -40),
      ("23:59:59", 5599), ("00:00:10", 5610), ("11:00:00", -41_200), ("", nil), ("soon", nil),
      ("25:00:00", nil), ("2026-02-30 10:00:00", nil), ("12:00:00 PM", nil), ("7", nil),
      ("2026-05-28", nil), ("22:26:xx", nil), ("-1:00:00", nil),
    ] as [(String, Int64?)])
  func `times are read in the forms that pages write`(text: String, after: Int64?) {
    #expect(PageTime.seconds(text, Self.berlin, near: Self.now) == after.map { Self.now + $0 })
  }

  @Test(arguments: ["22:26:42", "2026-05-28 22:26:50"])
  func `a time without a zone is none where none is known`(text: String) {
    #expect(PageTime.seconds(text, nil, near: Self.now) == nil)
  }

  @Test func `local times are right before and after the change of clocks`() {
    // The hour from two to three is missing on 2026-03-29, and comes twice on 2026-10-25.
    #expect(PageTime.seconds("2026-03-29 01:59:59", Self.berlin, near: 0) == 1_774_745_999)
    #expect(PageTime.seconds("2026-03-29 03:00:00", Self.berlin, near: 0) == 1_774_746_000)
    #expect(PageTime.seconds("2026-10-25 01:59:59", Self.berlin, near: 0) == 1_792_886_399)
    #expect(PageTime.seconds("2026-10-25 03:00:00", Self.berlin, near: 0) == 1_792_893_600)
  }

  @Test(
    arguments: [
      ("Z", 0), ("UTC", 0), ("+02:00", 7200), ("-0530", -19_800), ("+1", 3600), ("+14", 50_400),
      ("+15:00", nil), ("2", nil), ("+123", nil), ("CET", nil), ("", nil), ("+1:60", nil),
    ] as [(String, Int?)])
  func `fixed time zones are read as offsets`(text: String, offset: Int?) {
    #expect(ZoneOffsets(fixed: text)?.changes.first?.offset == offset)
  }

  @Test(
    arguments: [
      ("text/xml; charset=windows-1251", "windows-1251"), ("text/html;Charset=\"UTF-8\"", "UTF-8"),
      ("text/xml", nil), ("text/xml; charset=", nil), ("", nil),
      ("a; b=c; charset = koi8-r", "koi8-r"),
    ] as [(String, String?)])
  func `charsets are read from media types`(type: String, name: String?) {
    #expect(PageCharset.named(inMediaType: type) == name)
  }

  @Test(
    arguments: [
      ("<?xml version=\"1.0\" encoding=\"ISO-8859-2\"?>", "ISO-8859-2"),
      ("<?xml version='1.0' encoding = 'koi8-r' standalone='yes'?><x/>", "koi8-r"),
      ("<?xml version=\"1.0\"?><x encoding=\"a\"/>", nil), ("<x/>", nil), ("<?xml encoding=", nil),
    ] as [(String, String?)])
  func `charsets are read from XML declarations`(page: String, name: String?) {
    #expect(PageCharset.named(inXML: Array(page.utf8)) == name)
  }
}
