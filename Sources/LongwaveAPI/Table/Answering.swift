import Server

/// Makes the handler of an operation from the values in the braces of its path.
struct Answering: Sendable {
  /// Returns the handler; nil when a value is not of the handler's type, so that the path belongs to another operation.
  let handler: @Sendable ([String]) -> Call.Handler?

  init(_ handle: @escaping Call.Handler) {
    handler = { _ in handle }
  }

  /// Takes all values as they are.
  init(all handle: @escaping @Sendable (Call, [String]) async throws -> APIResponse) {
    handler = { values in { call in try await handle(call, values) } }
  }

  init<One: PathPart, Other: PathPart>(
    _ handle: @escaping @Sendable (Call, One, Other) async throws -> APIResponse
  ) {
    handler = { values in
      guard values.count == 2, let one = One(pathPart: values[0]),
        let other = Other(pathPart: values[1])
      else { return nil }
      return { call in try await handle(call, one, other) }
    }
  }

  init<Part: PathPart>(
    _ handle: @escaping @Sendable (Call, Part) async throws -> APIResponse
  ) {
    handler = { values in
      guard let part = values.first.flatMap(Part.init(pathPart:)) else { return nil }
      return { call in try await handle(call, part) }
    }
  }
}
