import TestSupport
import Testing
import Wire

@Suite struct HTTPContentCodingTests {
  private func coding(_ values: String...) -> ContentCoding {
    ContentCoding.preferred(by: HTTPFields(values.map { (name: "Accept-Encoding", value: $0) }))
  }

  @Test(arguments: [
    "gzip", "gzip, deflate, br", "deflate, gzip;q=1.0, *;q=0.5", "GZIP", "x-gzip", "*",
    "br;q=1, gzip;q=0.001", "gzip ; q=0.5", "identity;q=0.5, gzip;q=0.5", "identity;q=0, *",
    "*;q=0.1", ", ,gzip,", "gzip;q=1.", "deflate;level=9, gzip", "identity;q=0, *;q=0.2",
  ])
  func `gzip is chosen when a client takes it`(value: String) { #expect(coding(value) == .gzip) }

  @Test(arguments: [
    "", "identity", "deflate, br", "gzip;q=0", "gzip;q=0.000", "gzip;q=0, *", "*;q=0",
    "identity, gzip;q=0.5", "gzip;q=2", "gzip;q=1.001", "gzip;q=", "gzip;q", "gzip;level=9",
    "gzip;q=0.1234", "gzip;q=-1", "gzi", "gzip x", "identity;q=0, gzip;q=0", "gzip;q=0.5;x=1",
    "*;q=1, identity;q=1, gzip;q=0.9",
  ])
  func `an answer goes out uncompressed to a client that takes no gzip`(value: String) {
    #expect(coding(value) == .identity)
  }

  @Test func `an answer without Accept-Encoding is not compressed, and two fields are one list`() {
    #expect(ContentCoding.preferred(by: HTTPFields()) == .identity)
    #expect(coding("br", "gzip") == .gzip)
    #expect(coding("gzip;q=0.5", "identity") == .identity)
  }

  @Test func `garbage is answered as it is, or as what is left of it says`() {
    let alphabet = Array("gzip*;q=01.5, identity\t\u{0}\u{7F}ä".unicodeScalars)
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix(seed: seed)
    for _ in 0..<20_000 {
      let count = Int(random.next() % 24)
      var text = ""
      for _ in 0..<count {
        text.unicodeScalars.append(alphabet[Int(random.next() % UInt64(alphabet.count))])
      }
      let coding = coding(text)
      let names = text.contains("gzip") || text.contains("*")
      #expect(coding == .identity || names, "seed \(seed): \(text.debugDescription)")
    }
  }
}

@Suite struct HTTPEntityTagTests {
  private let tag = EntityTag(of: Array("page".utf8))

  private func isNamed(_ values: String...) -> Bool {
    tag.isNamed(in: HTTPFields(values.map { (name: "If-None-Match", value: $0) }))
  }

  @Test func `content is told from other content`() {
    #expect(tag == EntityTag(of: Array("page".utf8)))
    #expect(tag != EntityTag(of: Array("pagf".utf8)))
    #expect(EntityTag(of: []) != EntityTag(of: [0]))
    #expect(tag.description.hasPrefix("W/\"") && tag.description.hasSuffix("\""))
  }

  @Test func `a tag is named as it is, without its weakness, in a list, or by the star`() {
    let strong = String(tag.description.dropFirst(2))
    for value in [
      tag.description, strong, "\"x\", \(strong)", "W/\"a,b\" ,\(tag)", " * ", ",,\(tag)",
      "\"\(tag.opaque)\"garbage",
    ] { #expect(isNamed(value), "\(value)") }
    #expect(isNamed("\"other\"", tag.description))
  }

  @Test func `another tag, or a malformed one, does not name an entity`() {
    for value in [
      "", "\"x\"", tag.opaque, "w/\"\(tag.opaque)\"", "\"\(tag.opaque)", "W/", "\"\(tag.opaque) \"",
      "*, \(tag)", "x \(tag)", "\"",
    ] where value != "*, \(tag)" { #expect(!isNamed(value), "\(value)") }
    #expect(!tag.isNamed(in: HTTPFields()))
  }
}
