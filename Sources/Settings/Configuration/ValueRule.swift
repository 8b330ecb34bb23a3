import Ingest
import Reactor
import Wire

/// How one kind of value is written: what is accepted, and what to say about anything else.
///
/// Values are read as written: `no`, `12:30` or `0x10` are what they look like, never a boolean, a number of seconds or
/// sixteen.
package struct ValueRule<Value: Sendable>: Sendable {
  /// The right value, in words that follow "write".
  package let wanted: String
  /// The shape in request bodies.
  package let schema: JSON
  /// The part of such a value that may not be shown.
  let secrecy: Secrecy
  package let parse: @Sendable (String) throws(InvalidValue) -> Value

  package init(
    wanted: String, schema: JSON = Schema.text, secrecy: Secrecy = .none,
    parse: @escaping @Sendable (String) throws(InvalidValue) -> Value
  ) {
    (self.wanted, self.schema, self.secrecy, self.parse) = (wanted, schema, secrecy, parse)
  }

  /// How such a value is shown.
  var shown: Showing {
    Showing(isWhole: secrecy == .whole) {
      secrecy.shown($0, isValid: (try? parse($0)) != nil)
    }
  }
}

extension ValueRule where Value == String {
  /// Text for people, up to `max` characters, without line breaks and other controls.
  package static func text(
    max: Int = 256, wanted: String = "a text", secrecy: Secrecy = .none
  ) -> ValueRule {
    ValueRule(wanted: wanted, secrecy: secrecy) { text throws(InvalidValue) in
      guard text.count <= max else {
        throw InvalidValue("is \(text.count) characters long; at most \(max) are allowed")
      }
      guard !text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
        throw InvalidValue("contains a control character; write it on one line, without them")
      }
      return text
    }
  }

  /// The rule for what people call something: a text in which there is something to read.
  static func name(max: Int, wanted: String) -> ValueRule {
    let text = ValueRule.text(max: max, wanted: wanted)
    return ValueRule(wanted: wanted) { name throws(InvalidValue) in
      guard name.contains(where: { !$0.isWhitespace }) else {
        throw InvalidValue("is empty; write \(wanted)")
      }
      return try text.parse(name)
    }
  }

  /// The rule for the path of a file with secrets; what such a file holds is refused in its place.
  ///
  /// - Parameter wanted: what the file is, in words that follow "write".
  static func pathOfSecret(_ wanted: String) -> ValueRule {
    let path = ValueRule.text(max: 4096, wanted: wanted)
    return ValueRule(wanted: wanted, secrecy: .besidePath) { text throws(InvalidValue) in
      guard !text.contains("-----BEGIN") else {
        throw InvalidValue("holds what stands in such a file; write \(wanted)")
      }
      return try path.parse(text)
    }
  }

  static var folder: ValueRule {
    let wanted = "the path of a folder, beginning with a slash"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      let text = try ValueRule.text(max: 4096, wanted: wanted).parse(text)
      guard text.hasPrefix("/") else { throw InvalidValue(quoting: text, "is not \(wanted)") }
      return text
    }
  }

  /// The rule for a program, and for each of its arguments.
  static var programArgument: ValueRule {
    let wanted = "a text, in quotes if it is a dash or has one of YAML's signs"
    // An argument may be a password.
    return ValueRule(wanted: wanted, secrecy: .whole) { text throws(InvalidValue) in
      let bytes = text.utf8.count
      guard bytes <= ConfigurationLimits.argumentBytesMax else {
        throw InvalidValue(
          "has an argument of \(bytes) bytes; at most \(ConfigurationLimits.argumentBytesMax) "
            + "are allowed")
      }
      guard !text.utf8.contains(0) else { throw InvalidValue("has an argument with a zero byte") }
      return text
    }
  }

  static var stationID: ValueRule {
    ValueRule(wanted: StationID.wanted) { text throws(InvalidValue) in
      if let problem = StationID.problem(text) {
        throw InvalidValue(quoting: text, "\(problem); write \(StationID.wanted)")
      }
      return text
    }
  }

  static var mountPath: ValueRule {
    let wanted = "a path that begins with a slash, such as /stream.mp3"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      if let problem = MountPath.problem(in: text) { throw InvalidValue(problem) }
      return text
    }
  }

  /// The rule for a secret that fits into a header.
  package static var token: ValueRule {
    let wanted = "8 to 256 printable ASCII characters without blanks, or \"\" for none"
    return ValueRule(wanted: wanted, secrecy: .whole) { text throws(InvalidValue) in
      let isPrintable = text.utf8.allSatisfy { $0 > 32 && $0 < 127 }
      guard text.isEmpty || (isPrintable && (8...256).contains(text.utf8.count)) else {
        throw InvalidValue("must be \(wanted)")
      }
      return text
    }
  }

  /// The rule for a secret that is written nowhere else.
  static func secret(min: Int) -> ValueRule {
    let wanted = "\(min) to 256 characters on one line"
    return ValueRule(wanted: wanted, secrecy: .whole) { text throws(InvalidValue) in
      let isOneLine = text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
      guard isOneLine, (min...256).contains(text.count), text.utf8.count <= 1024 else {
        throw InvalidValue("must be \(wanted)")
      }
      return text
    }
  }

  /// The rule for the name of a user or a group of the system, as useradd(8) and Windows domains have them.
  package static var account: ValueRule {
    let wanted = "the name of an account: up to 32 letters, digits, and any of . _ - @"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      let isName = text.utf8.allSatisfy {
        (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0)
          || [46, 95, 45, 64].contains($0)
      }
      guard isName, text.utf8.count <= 32, !text.hasPrefix("-") else {
        throw InvalidValue("must be \(wanted)")
      }
      return text
    }
  }
}

extension ValueRule where Value == Int {
  package static func integer(_ range: ClosedRange<Int>) -> ValueRule {
    let wanted = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return ValueRule(wanted: wanted, schema: Schema.integer(range)) { text throws(InvalidValue) in
      let isDecimal = text.utf8.allSatisfy { (48...57).contains($0) || $0 == 45 }
      guard isDecimal, let number = Int(text) else {
        throw InvalidValue(
          quoting: text,
          "is not a whole number; write one from \(range.lowerBound) to \(range.upperBound)")
      }
      guard range.contains(number) else {
        throw InvalidValue("\(number) is out of range; write \(wanted)")
      }
      return number
    }
  }
}

extension ValueRule where Value == Double {
  /// Seconds, written as `90`, `90s`, `5m` or `1h30m`.
  package static func duration(_ range: ClosedRange<Double>) -> ValueRule {
    let limits =
      "\(DurationText.format(range.lowerBound)) to \(DurationText.format(range.upperBound))"
    return ValueRule(
      wanted: "a duration, such as 90s, 5m or 1h30m", schema: ["type": ["number", "string"]]
    ) { text throws(InvalidValue) in
      let parsed = DurationText.parse(text)
      let isTooLong =
        DurationText.isTooLong(text)
        || Double(text).map { $0.magnitude > DurationText.secondsMax } ?? false
      guard parsed != nil || isTooLong else {
        throw InvalidValue(quoting: text, "is not a duration; write 90s, 5m or 1h30m")
      }
      guard let seconds = parsed, range.contains(seconds) else {
        throw InvalidValue("\(Secrecy.cut(text, 40)) is out of range; write \(limits)")
      }
      return seconds
    }
  }
}

extension ValueRule where Value == UInt64 {
  /// Bytes, written as `20GB`, `512MiB` or a bare number.
  static func size(_ range: ClosedRange<UInt64>) -> ValueRule {
    let limits = "\(SizeText.format(range.lowerBound)) to \(SizeText.format(range.upperBound))"
    return ValueRule(
      wanted: "a size, such as 20GB or 512MiB", schema: ["type": ["integer", "string"]]
    ) { text throws(InvalidValue) in
      guard let bytes = SizeText.parse(text) else {
        throw InvalidValue(quoting: text, "is not a size; write 20GB, 512MiB or a number of bytes")
      }
      guard range.contains(bytes) else {
        throw InvalidValue("\(Secrecy.cut(text, 40)) is out of range; write \(limits)")
      }
      return bytes
    }
  }
}

extension ValueRule where Value == Bool {
  package static var flag: ValueRule {
    ValueRule(wanted: "true or false", schema: Schema.flag) { text throws(InvalidValue) in
      switch text {
      case "true": return true
      case "false": return false
      default:
        let reason = "is neither true nor false; write one of them"
        // "enabled" is a slip. A longer text stands in a wrong place: a token has eight bytes or more.
        if text.utf8.count >= 8 { throw InvalidValue("\(Secrecy.mask) \(reason)") }
        throw InvalidValue(quoting: text, reason)
      }
    }
  }
}

extension ValueRule where Value == SocketAddress {
  package static var listenAddress: ValueRule {
    let wanted = "HOST:PORT, such as 0.0.0.0:8000 or \"[::]:8000\""
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      guard let address = SocketAddress(text) else {
        throw InvalidValue(
          quoting: text, problem(in: text) ?? "is not an address; write \(wanted)")
      }
      return address
    }
  }

  /// Returns what is missing in an address, and the whole one that was meant; nil when more is wrong.
  private static func problem(in text: String) -> String? {
    let colon = text.utf8.lastIndex(of: UInt8(ascii: ":"))
    let port = colon.map { text[text.utf8.index(after: $0)...] } ?? text[...]
    let host = colon.map { text[..<$0] } ?? ""
    guard !port.isEmpty, port.utf8.allSatisfy({ (48...57).contains($0) }) else {
      let whole = text.hasSuffix("]") || colon == nil ? text + ":8000" : ""
      // Without quotes a bracket begins a list.
      let written = whole.hasPrefix("[") ? "\"\(whole)\"" : whole
      return SocketAddress(whole) == nil ? nil : "has no port; write \(written)"
    }
    guard UInt16(port) != nil else {
      return "has the port \(port.prefix(20)); a port is a number from 0 to 65535"
    }
    guard host.isEmpty else { return nil }
    return "has no host; write 0.0.0.0:\(port) for everybody, or 127.0.0.1:\(port) for this "
      + "machine"
  }
}

extension ValueRule where Value == AddressRange {
  package static var addressRange: ValueRule {
    let wanted = "an address or a range of them, such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      guard let range = AddressRange(text) else {
        throw InvalidValue(quoting: text, "is not \(wanted)")
      }
      return range
    }
  }
}

extension ValueRule where Value == Glob {
  /// The rule for a pattern of User-Agents.
  static var agentPattern: ValueRule {
    let wanted = "a pattern for User-Agents, such as \"BadBot*\""
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      guard !text.isEmpty, text.utf8.count <= 256 else {
        throw InvalidValue("is empty or longer than 256 bytes; write \(wanted)")
      }
      return Glob(text)
    }
  }
}

extension ValueRule where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// The rule for one of a few words.
  package static var word: ValueRule {
    let words = Value.allCases.map(\.rawValue)
    let wanted = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    return ValueRule(wanted: wanted, schema: Schema.words(words)) { text throws(InvalidValue) in
      guard let value = Value(rawValue: text) else {
        let meant = KeySuggestion.nearest(to: text, among: words)
        throw InvalidValue(
          quoting: text,
          "is unknown; " + (meant.map { "did you mean \($0)?" } ?? "write \(wanted)"))
      }
      return value
    }
  }
}

extension ValueRule where Value == Double {
  /// Decibels, written as a number.
  ///
  /// - Parameter unit: dB or LUFS, in words that people are shown.
  static func decibels(_ range: ClosedRange<Double>, _ unit: String = "decibels") -> ValueRule {
    let limits = "from \(JSON.decimal(range.lowerBound)) to \(JSON.decimal(range.upperBound))"
    return ValueRule(wanted: "\(unit) \(limits)", schema: ["type": "number"]) {
      text throws(InvalidValue) in
      guard let number = Double(text), range.contains(number) else {
        throw InvalidValue(quoting: text, "is out of range; write \(unit) \(limits)")
      }
      return number
    }
  }
}
