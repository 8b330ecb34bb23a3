import Ingest
import Timeshift

/// A value that has one shape in the API: its JSON, and the JSON Schema that describes it.
package protocol Shaped: Sendable {
  static var schema: JSON { get }
  var json: JSON { get }
}

/// An object of the API whose members are rows.
package protocol ShapedObject: Shaped {
  static var shape: [Shape<Self>] { get }
}

extension ShapedObject {
  package static var schema: JSON { shape.schema() }
  package var json: JSON { Self.shape.json(of: self) }
}

/// A member of an object: its name, what it looks like, and where its value comes from.
@usableFromInline package struct Shape<Owner>: Sendable {
  @usableFromInline package typealias Reader<Value> = @Sendable (Owner) -> Value

  package let name: String
  package let schema: JSON
  @usableFromInline package let json: Reader<JSON>
  /// The name as a member begins with it: `"title":`.
  @usableFromInline let opening: [UInt8]

  package init(_ name: String, _ schema: JSON, _ json: @escaping Reader<JSON>) {
    (self.name, self.schema, self.json) = (name, schema, json)
    opening = JSON.string(name).bytes + [UInt8(ascii: ":")]
  }

  package init<Value: Shaped>(_ name: String, _ value: @escaping Reader<Value>) {
    self.init(name, Value.schema) { value($0).json }
  }

  /// Makes the row of an object whose values are the owner's.
  package init(_ name: String, _ rows: [Shape]) {
    self.init(name, rows.schema()) { rows.json(of: $0) }
  }

  /// Makes the row of a list of objects.
  package init<Item>(
    _ name: String, each items: @escaping Reader<[Item]>, _ rows: [Shape<Item>]
  ) {
    self.init(name, Schema.list(rows.schema())) { .array(items($0).map { rows.json(of: $0) }) }
  }

  /// Returns the row for an owner that has this one as a part.
  package func of<Outer>(_ part: @escaping @Sendable (Outer) -> Owner) -> Shape<Outer> {
    Shape<Outer>(name, schema) { [json] in json(part($0)) }
  }
}

extension Array {
  /// The members' names and shapes.
  package func fields<Owner>() -> [(String, JSON)] where Element == Shape<Owner> {
    map { ($0.name, $0.schema) }
  }

  /// The shape of an object with these members and no others.
  package func schema<Owner>() -> JSON where Element == Shape<Owner> { Schema.object(fields()) }

  package func members<Owner>(of owner: Owner) -> [JSON.Member] where Element == Shape<Owner> {
    map { .init(key: $0.name, value: $0.json(owner)) }
  }

  package func json<Owner>(of owner: Owner) -> JSON where Element == Shape<Owner> {
    .object(members(of: owner))
  }

  /// Appends the members as text, a comma behind each, without making an object first: for long lists.
  @inlinable package func write<Owner>(
    _ owner: Owner, to bytes: inout [UInt8]
  ) where Element == Shape<Owner> {
    for index in indices {
      bytes.append(contentsOf: self[index].opening)
      self[index].json(owner).write(to: &bytes)
      bytes.append(UInt8(ascii: ","))
    }
  }
}

extension String: Shaped {
  package static var schema: JSON { Schema.text }
  package var json: JSON { .string(self) }
}

extension Bool: Shaped {
  package static var schema: JSON { Schema.flag }
  package var json: JSON { .bool(self) }
}

extension Double: Shaped {
  package static var schema: JSON { Schema.number }
  package var json: JSON { .number(self) }
}

extension Shaped where Self: BinaryInteger {
  package static var schema: JSON { Schema.count }
  package var json: JSON { JSON(self) }
}

extension Int: Shaped {}
extension Int64: Shaped {}
extension UInt64: Shaped {}

extension WallTime: Shaped {
  package static var schema: JSON { Schema.time }
  package var json: JSON { JSON(self) }
}

extension Shaped where Self: RawRepresentable & CaseIterable, RawValue == String {
  package static var schema: JSON { Schema.words(allCases.map(\.rawValue)) }
  package var json: JSON { .string(rawValue) }
}

extension Optional: Shaped where Wrapped: Shaped {
  package static var schema: JSON { Schema.known(Wrapped.schema) }
  // A key path of a generic value is made anew for each value, which costs more than the rest of its answer.
  package var json: JSON { map { $0.json } ?? .null }
}

extension Array: Shaped where Element: Shaped {
  package static var schema: JSON { Schema.list(Element.schema) }
  package var json: JSON { .array(map { $0.json }) }
}
