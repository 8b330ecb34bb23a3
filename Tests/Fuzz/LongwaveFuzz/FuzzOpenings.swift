import Reactor
import Wire

/// What comes before a request, and sources that send none.
extension FuzzTarget {
  static let proxyHeader = FuzzTarget(
    name: "proxy-header",
    seeds: [
      "\u{40}PROXY TCP4 203.0.113.7 10.0.0.1 4711 8000\r\nGET / HTTP/1.1\r\n".bytes,
      "\u{7F}PROXY TCP6 2001:db8::9 ::ffff:10.0.0.1 0 65535\r\n".bytes,
      "\u{20}PROXY UNKNOWN ffff::1 whatever\r\n".bytes, [100] + binary + [0x20, 0, 0, 0],
      [120] + binary + [0x21, 0x11, 0, 12, 203, 0, 113, 7, 10, 0, 0, 1, 18, 103, 31, 64],
      [90] + binary + [0x21, 0x21, 0, 40] + [UInt8](repeating: 9, count: 36) + [4, 0, 1, 65],
      [127] + binary + [0x21, 0x31, 0, 216] + [UInt8](repeating: 47, count: 216),
    ]
  ) { bytes in
    var input = FuzzInput(bytes)
    let cut = input.byte()
    let text = Array(input.rest)
    let start = Array(text.prefix(min(text.count, cut * text.count / 127)))
    let whole = Result { try ProxyHeader.parse(text.span) }
    switch Result(catching: { try ProxyHeader.parse(start.span) }) {
    case .success(nil): break
    case .success(let early?):
      let found = (try? whole.get()).flatMap { $0 }
      promise(
        found?.header == early.header && found?.length == early.length,
        "a header changes with more bytes")
    case .failure:
      if case .success = whole { fatalError("refused before it was certain") }
    }
    guard case .success(let found?) = whole else { return }
    promise((1...text.count).contains(found.length), "a length of \(found.length)")
    guard case .client(let host, let port) = found.header else { return }
    promise(host.utf8.allSatisfy { "0123456789abcdefABCDEF:.".utf8.contains($0) }, host)
    if text.starts(with: binary) {
      promise(SocketAddress(host: host, port: port)?.port == port, "no address: \(host)")
    }
  }

  private static let binary: [UInt8] = [13, 10, 13, 10, 0, 13, 10] + "QUIT\n".bytes

  /// A SHOUTcast source: its first line, then its fields.
  static let sourceLogin = FuzzTarget(
    name: "source-login",
    seeds: [
      "\u{3}\u{9}hackme\r\nicy-name:Jazz\r\nicy-br:128\r\ncontent-type:audio/mpeg\r\n\r\naudio",
      "\u{0}\u{0}/jazz:hack:#3\nicy-name: A:B \nx\n\n\u{7F}", "\u{1}\u{1}!POKE\r\n",
      "\u{1}\u{8}SOURCE /a ICE/1.0\r\n\r\n", "\u{5}\u{5}a:#99999999999999999999\r\r\n:x\r\n",
    ].map(\.bytes)
  ) { bytes in
    var input = FuzzInput(bytes)
    let (whole, pieces) = input.whole()
    let found = ShoutcastLogin.open(whole)
    for count in [pieces.first?.count ?? 0, whole.count / 2] {
      let early = ShoutcastLogin.open(Array(whole.prefix(count)))
      promise(early == nil || early == found, "a login changes with more bytes")
    }
    promise(fields(of: [whole]) == fields(of: pieces), "fields depend on how they were cut")
    guard case .login(let login, let length) = found else { return }
    promise(length <= whole.count && whole[length - 1] == 10, "a length of \(length)")
    promise((1...3).contains(login.readings.count), "\(login)")
    for reading in login.readings {
      promise(!(reading.mount ?? "").hasControls, "a control in \(reading)")
      promise(reading.password.count <= length && (reading.sid ?? 1) > 0, "\(reading)")
    }
  }

  private static func fields(of pieces: [[UInt8]]) -> [String] {
    var (fields, taken) = (ShoutcastFields(), 0)
    do {
      for piece in pieces where !fields.isComplete { taken += try fields.take(piece.span) }
    } catch { return ["\(error)"] }
    for field in fields.list { promise(!field.name.hasControls, "a control in \(field.name)") }
    return fields.list.map { "\($0.name)=\($0.value)" } + ["\(taken) \(fields.isComplete)"]
  }
}
