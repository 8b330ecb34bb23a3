/// The fields of a head, in their order. The case of names does not count.
public struct HTTPFields: Hashable, Sendable {
  /// One line of a head.
  public struct Field: Hashable, Sendable {
    public var name: String
    public let value: String
    /// The value as received, where that is not UTF-8.
    private let foreign: [UInt8]?

    /// - Parameter foreign: The value as received, where that is not UTF-8; `value` is a guess then.
    public init(name: String, value: String, foreign: [UInt8]? = nil) {
      self.name = name
      self.value = value
      self.foreign = foreign
    }

    /// The bytes of the value, for a reader that knows their charset.
    public var bytes: [UInt8] { foreign ?? Array(value.utf8) }
  }

  /// All fields, as received.
  public private(set) var list: [Field]

  public init(_ list: [(name: String, value: String)] = []) {
    self.list = list.map { Field(name: $0.name, value: $0.value) }
  }

  /// The first value of a name; nil without that name.
  public subscript(name: String) -> String? {
    list.first { ASCII.equalIgnoringCase($0.name, name) }?.value
  }

  /// Returns every value of a name, in order.
  public func all(_ name: String) -> [String] {
    list.filter { ASCII.equalIgnoringCase($0.name, name) }.map(\.value)
  }

  /// Returns the elements of a name's comma-separated lists (RFC 9110 section 5.6.1), in lower case.
  ///
  /// The function is for fields of tokens, such as `Connection`; it does not understand quoted strings.
  public func tokens(_ name: String) -> [String] {
    // The text is split as bytes. In a String some letters and the comma after them form one character, so a client
    // could hide an element that a proxy has added.
    all(name).flatMap { Array($0.utf8).split(separator: UInt8(ascii: ",")) }.map { element in
      String(decoding: ASCII.trimmed(element), as: UTF8.self).lowercased()
    }
  }

  /// Adds a field at the end, in addition to those of the same name.
  public mutating func append(_ name: String, _ value: String, foreign: [UInt8]? = nil) {
    list.append(Field(name: name, value: value, foreign: foreign))
  }

  /// Replaces all fields of a name by one, or adds it at the end.
  public mutating func set(_ name: String, _ value: String) {
    remove(name)
    append(name, value)
  }

  /// Removes every field of a name.
  public mutating func remove(_ name: String) {
    list.removeAll { ASCII.equalIgnoringCase($0.name, name) }
  }
}
