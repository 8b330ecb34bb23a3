/// The fields of a head, in their order. Names are compared without regard to case.
public struct HTTPFields: Hashable, Sendable {
  /// One line of a head.
  public struct Field: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// All fields, as they came.
  public private(set) var list: [Field]

  public init(_ list: [(name: String, value: String)] = []) {
    self.list = list.map { Field(name: $0.name, value: $0.value) }
  }

  /// The first value of a name; nil when there is none.
  public subscript(name: String) -> String? {
    list.first { ASCII.equalIgnoringCase($0.name, name) }?.value
  }

  /// Every value of a name, in order.
  public func all(_ name: String) -> [String] {
    list.filter { ASCII.equalIgnoringCase($0.name, name) }.map(\.value)
  }

  /// The elements of a name's comma-separated lists (RFC 9110 section 5.6.1), lower-cased.
  ///
  /// For fields of tokens, such as `Connection`; quoted strings are not understood.
  public func tokens(_ name: String) -> [String] {
    // Bytes: to a String, some letters and the comma behind them are one character, and a client could hide in it what
    // a proxy has added.
    all(name).flatMap { Array($0.utf8).split(separator: UInt8(ascii: ",")) }.map { element in
      String(decoding: ASCII.trimmed(element), as: UTF8.self).lowercased()
    }
  }

  /// Adds a field at the end, besides any of the same name.
  public mutating func append(_ name: String, _ value: String) {
    list.append(Field(name: name, value: value))
  }

  /// Puts one field in the place of all of its name, or at the end.
  public mutating func set(_ name: String, _ value: String) {
    remove(name)
    append(name, value)
  }

  /// Takes away every field of a name.
  public mutating func remove(_ name: String) {
    list.removeAll { ASCII.equalIgnoringCase($0.name, name) }
  }
}
