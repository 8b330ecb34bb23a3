import TestSupport

/// What is no request, or hardly one: each is all that a connection gets.
enum Junk {
  /// - Parameter station: one that takes sources, with this password in Base64.
  static func attacks(station: String, password: String) -> [Attack] {
    let source = sources(station: station, password: password)
    let tcp = (texts.map { Array($0.utf8) } + binaries + framed + source).map {
      Attack(way: .tcp, bytes: $0, place: "junk \(AttackText.encode(Array($0.prefix(24))))")
    }
    let others = tcp.flatMap { attack in
      [Attack.Way.unix, .tls, .shoutcast].map { way in
        Attack(way: way, bytes: attack.bytes, place: "\(way) \(attack.place)")
      }
    }
    return tcp + others + logins.map { Attack(way: .shoutcast, bytes: $0, place: "login") }
  }

  private static let texts: [String] =
    [
      "", "\r\n", "\r\n\r\n\r\n\r\n", "\n", "GET", "GET ", "GET /", "GET / ", "GET / HTTP/",
      "GET / HTTP/1.1",
      "GET / HTTP/1.1\r\n", "GET /\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\n\n",
      "get / http/1.1\r\n\r\n",
      "GET  /  HTTP/1.1\r\n\r\n", "GET\t/\tHTTP/1.1\r\n\r\n", " GET / HTTP/1.1\r\n\r\n",
      "GET http://\r\n\r\n",
      "GET http://a/%zz HTTP/1.1\r\n\r\n", "GET * HTTP/1.1\r\n\r\n",
      "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
      "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "ICY 200 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\n\r\n", "SOURCE hackme /a\r\n\r\n", "EHLO x\r\n", "SSH-2.0-x\r\n",
      "\u{1}\u{2}\u{3}",
      "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET / HTTP/1.1\r\n\r\n", "PROXY UNKNOWN\r\n",
      "PROXY TCP4 999.1.1.1 x y z\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n",
      "GET / HTTP/1.1\r\nA\r\n\r\n",
      "GET / HTTP/1.1\r\nA : b\r\n\r\n", "GET / HTTP/1.1\r\n A: b\r\n\r\n",
      "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
      "GET / HTTP/1.1\r\nA: \u{0}\r\n\r\n", "GET /\u{0} HTTP/1.1\r\n\r\n",
      "GET /é HTTP/1.1\r\n\r\n",
      "GET /\u{301} HTTP/1.1\r\nHost: \u{301}\r\n\r\n", "GET /a#b?c HTTP/1.1\r\nHost: x\r\n\r\n",
    ] + [
      "GET /" + String(repeating: "a", count: 9000) + " HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 1300) + "\r\n",
      "GET / HTTP/1.1\r\n" + (0..<200).map { "A\($0): b\r\n" }.joined() + "\r\n",
      "GET / HTTP/1.1\r\nA: " + String(repeating: " ", count: 8000) + "\r\n\r\n",
      String(repeating: "\r\n", count: 10_000),
      String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 1000),
      String(repeating: "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", count: 500),
    ]

  private static let binaries: [[UInt8]] =
    [
      [22], [22, 3, 1], [22, 3, 1, 255, 255], [22, 3, 3, 0, 0], [22, 3, 1, 0, 5, 1, 0, 0, 1, 0],
      [21, 3, 3, 0, 2, 2, 40], [23, 3, 3, 64, 0], [0x80, 46, 1, 3, 1],
      [22, 3, 1, 64, 1] + zeros(20_000),
      proxy + [0x21, 0x11, 0, 12, 127, 0, 0, 1, 10, 0, 0, 1, 18, 103, 31, 64],
      proxy + [0x20, 0, 0, 0], proxy + [0x21, 0x31, 255, 255], proxy + [255, 255, 255, 255],
      zeros(9000), [UInt8](repeating: 255, count: 9000), Array(0...255), [5, 1, 0],
      [4, 1, 0, 80, 1, 1, 1, 1, 0],
    ]

  private static let proxy: [UInt8] = [13, 10, 13, 10, 0, 13, 10] + Array("QUIT\n".utf8)

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  /// Bodies whose length is told in odd ways.
  private static let framed: [[UInt8]] = (numbered + oddlyFramed).map { Array($0.utf8) }

  private static let numbered: [String] = HostileValues.numbers.flatMap { number in
    [
      "POST /api/v1/sessions/kitchen-radio-1 HTTP/1.1\r\nHost: x\r\nContent-Length: \(number)\r\n\r\n{}",
      "POST /api/v1/sessions/kitchen-radio-1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\(number)\r\n{}\r\n0\r\n\r\n",
      "POST /7.html HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: \(number)\r\n\r\n{}",
    ]
  }

  private static let oddlyFramed: [String] = [
    "POST /7.html HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    "POST /7.html HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n",
    "POST /7.html HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "POST /7.html HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;"
      + String(repeating: "x", count: 20_000),
    "POST /7.html HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      + String(repeating: "1\r\na\r\n", count: 20_000) + "0\r\n\r\n",
    "POST /7.html HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
      + String(repeating: "a: b\r\n", count: 5000) + "\r\n",
    "POST /7.html HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n",
  ]

  // MARK: Sources

  /// Encoders that say odd things of themselves, and then send something.
  private static func sources(station: String, password: String) -> [[UInt8]] {
    let fields = UpstreamAttacks.fields.flatMap { field in
      field.values.map { (field.name, $0) }
    }
    let heads: [[UInt8]] = ["SOURCE", "PUT"].flatMap { method in
      let start =
        "\(method) /\(station) HTTP/1.1\r\nHost: x\r\nAuthorization: Basic \(password)\r\n"
      // Each gets another seventh of them.
      return fields.indices.filter { $0 % 7 == method.utf8.count % 7 }.map { index -> [UInt8] in
        let name = Array("\(start)Content-Type: audio/mpeg\r\n\(fields[index].0): ".utf8)
        return name + fields[index].1 + [13, 10, 13, 10]
      }
    }
    let head = Array(
      "PUT /\(station) HTTP/1.1\r\nHost: x\r\nAuthorization: Basic \(password)\r\nContent-Type: audio/mpeg\r\n"
        .utf8)
    let bodies: [[UInt8]] = UpstreamAttacks.bodies.prefix(40).map { head + [13, 10] + $0 }
    let chunked: [[UInt8]] = HostileValues.numbers.map {
      head + Array("Transfer-Encoding: chunked\r\n\r\n\($0)\r\n".utf8) + UpstreamAttacks.audio
    }
    return heads + bodies + chunked
  }

  /// SHOUTcast's first protocol.
  private static let logins: [[UInt8]] = {
    let few = ["push-it-now\r\n", "\r\n", ":\r\n", "/:#:\r\n", "push-it-now:#1:#2\r\n\r\n"]
    let numbered: [String] = HostileValues.numbers.flatMap { number in
      [
        "push-it-now:#\(number)\r\nicy-br:\(number)\r\ncontent-type:audio/mpeg\r\n\r\n",
        "push-it-now\r\nicy-metaint:\(number)\r\nicy-pub:\(number)\r\n\r\n",
      ]
    }
    let texts: [[UInt8]] = HostileValues.texts.map { $0 + [13, 10, 13, 10] }
    return (few + numbered).map { Array($0.utf8) } + texts
  }()
}
