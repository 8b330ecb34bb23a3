import Longwave
import Server

/// The description of the API (OpenAPI 3.1, spec.openapis.org/oas/v3.1.1), made from the table that routes requests.
enum OpenAPI {
  static func document(of operations: [Operation]) -> JSON {
    [
      "openapi": "3.1.0",
      "info": [
        "title": "Longwave", "version": .string(RelayVersion.number),
        "description": .string(introduction),
      ],
      "servers": [["url": "/"]],
      "paths": paths(of: operations),
      "components": components,
    ]
  }

  private static let components: JSON = [
    "schemas": .object(Schema.all.map { JSON.Member(key: $0.name, value: $0.schema) }),
    "responses": ["Error": errorResponse],
    "securitySchemes": [
      "token": ["type": "http", "scheme": "bearer"],
      "password": ["type": "http", "scheme": "basic"],
    ],
  ]

  private static let introduction = """
    A relay for internet radio with hours of rewind. HEAD is possible wherever GET is, OPTIONS everywhere. Every key \
    of a shape is present, null where nothing is known; times are RFC 3339 in UTC, durations seconds, positions and \
    sizes bytes. What needs a token takes the admin token as a Bearer token, or as Basic's password with any user; \
    over the Unix socket it needs none. Whatever changes something takes its body as application/json, and nothing from \
    a browser's page of another site; but a session is steered by whoever knows its token, from wherever.
    """

  private static func paths(of operations: [Operation]) -> JSON {
    var order: [String] = []
    var methods: [String: [JSON.Member]] = [:]
    for operation in operations {
      let path = operation.path.text
      if methods[path] == nil { order.append(path) }
      methods[path, default: []].append(
        .init(key: operation.method.lowercased(), value: describe(operation)))
    }
    return .object(order.map { .init(key: $0, value: .object(methods[$0] ?? [])) })
  }

  private static func describe(_ operation: Operation) -> JSON {
    var members: [JSON.Member] = [
      .init(key: "operationId", value: .string(operation.name)),
      .init(key: "summary", value: .string(operation.summary)),
    ]
    let parameters = operation.path.names.map(inPath) + operation.parameters.map(describe)
    if !parameters.isEmpty { members.append(.init(key: "parameters", value: .array(parameters))) }
    if let body = operation.body {
      let content: JSON = ["schema": Schema.named(body)]
      members.append(
        .init(
          key: "requestBody",
          value: [
            "required": .bool(body != "Form"),
            "content": .object([.init(key: mediaType(of: body), value: content)]),
          ]))
    }
    members.append(.init(key: "responses", value: responses(of: operation)))
    if operation.terms.audience.needsPassword {
      members.append(.init(key: "security", value: [["token": []], ["password": []]]))
    } else if operation.body == "Audio" {
      members.append(.init(key: "security", value: [["password": []]]))
    }
    return .object(members)
  }

  private static func mediaType(of body: String) -> String {
    switch body {
    case "Form": "application/x-www-form-urlencoded"
    case "Audio": "audio/*"
    case "List": "audio/x-mpegurl"
    default: "application/json"
    }
  }

  private static func inPath(_ name: String) -> JSON {
    [
      "name": .string(name), "in": "path", "required": .bool(true),
      "schema": name == "listener" ? Schema.count : Schema.text,
    ]
  }

  private static func describe(_ parameter: Operation.Parameter) -> JSON {
    [
      "name": .string(parameter.name), "in": .string(parameter.place.rawValue),
      "description": .string(parameter.summary), "required": .bool(parameter.isRequired),
      "schema": parameter.schema,
    ]
  }

  private static func responses(of operation: Operation) -> JSON {
    let unchanged = mayBeKept(operation) ? [Operation.Answer.unchanged] : []
    let answers = [operation.answer] + operation.otherwise + unchanged
    var members = answers.map { answer in
      JSON.Member(key: "\(answer.status)", value: describe(answer))
    }
    let statuses = operation.errors + accessErrors(of: operation.terms)
    for status in Set(statuses).sorted() {
      members.append(
        .init(key: "\(status)", value: ["$ref": "#/components/responses/Error"]))
    }
    return .object(members)
  }

  /// Whether clients may keep the answer, and ask with its tag whether it still counts: what is for everybody, and ends.
  private static func mayBeKept(_ operation: Operation) -> Bool {
    let terms = operation.terms
    let content = operation.answer.content
    return operation.method == "GET" && operation.answering != nil && !terms.isGuarded
      && !terms.audience.needsPassword && !content.isEmpty
      && !content.contains { $0.mediaType == "text/event-stream" }
  }

  /// Returns the statuses for requests without the needed right, or in the wrong form.
  private static func accessErrors(of terms: Terms) -> [Int] {
    let isForAll = terms.audience == .everybodyInPart
    let access = terms.audience.needsPassword ? [401, 403, 429] : isForAll ? [401, 429] : []
    return terms.audience.needsPassword && terms.requiresJSON ? access + [415] : access
  }

  private static func describe(_ answer: Operation.Answer) -> JSON {
    var members: [JSON.Member] = [
      .init(key: "description", value: .string(words(for: answer.status)))
    ]
    if !answer.content.isEmpty {
      members.append(
        .init(
          key: "content",
          value: .object(
            answer.content.map { .init(key: $0.mediaType, value: ["schema": $0.schema]) })))
    }
    return .object(members)
  }

  private static func words(for status: Int) -> String {
    switch status {
    case 206: "The parts that were asked for."
    case 304: "The same as the client has already, by its tag or date."
    case ..<400: "Done."
    case 404: "Not there."
    default: "Not now."
    }
  }

  private static let errorResponse: JSON = [
    "description": "What went wrong: a code for programs, a sentence for people.",
    "content": ["application/json": ["schema": Schema.named("Error")]],
  ]
}
