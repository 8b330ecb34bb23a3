import Reactor
import Wire

@testable import Server

/// What a client would have, and who it says it is.
extension FuzzTarget {
  static let conditions = FuzzTarget(
    name: "conditions",
    seeds: [
      "gzip, deflate;q=0.5, *;q=0\nW/\"a,b\", \"c\"", "identity;q=0, x-gzip ; q=1.000\n*",
      "gzip;q=2\nW/\"", ",,gzip;\n\"\", W/\"x\" \"y\",",
    ].map(\.bytes)
  ) { bytes in
    let lines = bytes.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let (coding, names) = (lines[0], lines.dropFirst().first ?? "")
    let accepted = ContentCoding.preferred(by: HTTPFields([("Accept-Encoding", coding)]))
    let mentioned = coding.lowercased().contains("gzip") || coding.contains("*")
    promise(accepted == .identity || mentioned, "gzip for \(coding)")
    let tag = EntityTag(of: bytes)
    let isNamed = tag.isNamed(in: HTTPFields([("If-None-Match", names)]))
    promise(
      !isNamed || names.contains("*") || names.contains("\"\(tag.opaque)\""), "named in \(names)")
    let list = HTTPFields([("If-None-Match", "\"x\", \(tag)")])
    promise(tag.isNamed(in: list), "not named by itself")
  }

  /// A pattern, and a name that it may be like.
  static let globs = FuzzTarget(
    name: "globs",
    seeds: [
      "*Bot/*\nGoogleBot/2.1", "a?c*\nA\u{E9}cdef", "**?**a\nbcda", "a*b*c*d*e\naabbccddee",
      "???\nein", "*\n", "\n",
    ].map(\.bytes)
  ) { bytes in
    let lines = bytes.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let (pattern, name) = (lines[0], lines.dropFirst().first ?? "")
    let isLike = Glob(pattern).matches(name)
    promise(Glob("*").matches(name) && Glob("*\(pattern)*").matches(name) || !isLike, pattern)
    // Every way there is, as long as that is not too many.
    guard pattern.utf8.count * name.utf8.count < 4096 else { return }
    let (stars, bytes) = (Array(pattern.utf8), Array(name.utf8))
    promise(isLike == reaches(bytes, stars), "\(pattern) and \(name)")
  }

  /// Whether the pattern can end where the name ends: each place of the pattern, and all places of the name it can
  /// have come to.
  private static func reaches(_ name: [UInt8], _ pattern: [UInt8]) -> Bool {
    func lower(_ byte: UInt8) -> UInt8 { 65...90 ~= byte ? byte | 32 : byte }
    var reached = [true] + [Bool](repeating: false, count: name.count)
    for byte in pattern {
      var next = [Bool](repeating: false, count: name.count + 1)
      for (at, isReached) in reached.enumerated() where isReached {
        switch byte {
        case UInt8(ascii: "*"): for later in at...name.count { next[later] = true }
        case _ where at == name.count: break
        case UInt8(ascii: "?"):
          next[name[(at + 1)...].firstIndex { $0 & 0xC0 != 0x80 } ?? name.count] = true
        default: next[at + 1] = next[at + 1] || lower(byte) == lower(name[at])
        }
      }
      reached = next
    }
    return reached[name.count]
  }

  /// Addresses, ranges of them, and who is behind a proxy.
  static let addresses = FuzzTarget(
    name: "addresses",
    seeds: [
      "192.0.2.0/24", "2001:db8::/32", "::ffff:10.0.0.1", "[::1]:8000", "127.0.0.1:80", "0/0",
      "10.0.0.1, [::1]:5, unknown, 127.0.0.9", "::/128", "1.2.3.4/33", "localhost:1",
    ].map(\.bytes)
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    if let range = AddressRange(text) {
      promise(AddressRange(range.description) == range, "\(text): \(range)")
      promise(AddressRange(range.text) == range, "\(text): \(range.text)")
      let base = SocketAddress(host: String(range.description.prefix { $0 != "/" }), port: 0)
      promise(base.map(range.contains) == true, "\(range) is without its first address")
    }
    if let address = SocketAddress(text) {
      promise(SocketAddress(address.description) == address, "\(text): \(address)")
      promise(AddressRange(address.host)?.contains(address) == true, "\(address) is not itself")
    }
    let fields = HTTPFields([("X-Forwarded-For", text)])
    let (peer, trusted) = (SocketAddress("127.0.0.1:1")!, AddressRange("127.0.0.0/8")!)
    let client = ForwardedAddress.client(of: fields, peer: peer, trusted: [trusted])
    promise(client == peer || !text.isEmpty, "a client from nowhere")
    let stranger = SocketAddress("192.0.2.1:1")!
    promise(
      ForwardedAddress.client(of: fields, peer: stranger, trusted: [trusted]) == stranger,
      "a stranger is believed")
  }
}
