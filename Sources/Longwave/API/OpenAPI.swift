import Server

/// The description of the API (OpenAPI 3.1, spec.openapis.org/oas/v3.1.1), made from the table that routes it.
enum OpenAPI {
  /// Made once: it is the same as long as the program is.
  static let document: JSON = [
    "openapi": "3.1.0",
    "info": [
      "title": "Longwave", "version": .string(RelayVersion.number),
      "description": .string(introduction),
    ],
    "servers": [["url": "/"]],
    "paths": paths,
    "components": [
      "schemas": .object(Schema.all.map { JSON.Member(key: $0.name, value: $0.schema) }),
      "responses": ["Error": errorResponse],
      "securitySchemes": [
        "token": ["type": "http", "scheme": "bearer"],
        "password": ["type": "http", "scheme": "basic"],
      ],
    ],
  ]

  static let page = APIResponse.made("openapi", "application/json") { bytes }
  private static let bytes = document.bytes + [10]

  private static let introduction = """
    A relay for internet radio with hours of rewind. HEAD is possible wherever GET is, OPTIONS everywhere. Every key \
    of a shape is present, null where nothing is known; times are RFC 3339 in UTC, durations seconds, positions and \
    sizes bytes. What needs a token takes the admin token as a Bearer token, or as Basic's password with any user; \
    over the Unix socket it needs none. Whatever changes something takes its body as application/json, and nothing from \
    a browser's page of another site; but a session is steered by whoever knows its token, from wherever.
    """

  private static var paths: JSON {
    var order: [String] = []
    var operations: [String: [JSON.Member]] = [:]
    for operation in Operation.all {
      let path = operation.path.text
      if operations[path] == nil { order.append(path) }
      operations[path, default: []].append(
        .init(key: operation.method.lowercased(), value: describe(operation)))
    }
    return .object(order.map { .init(key: $0, value: .object(operations[$0] ?? [])) })
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
    if operation.audience == .administrators {
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
    var members = [operation.answer, operation.otherwise].compactMap(\.self).map { answer in
      JSON.Member(key: "\(answer.status)", value: describe(answer))
    }
    var access = operation.audience == .administrators ? [401, 403, 429] : []
    if operation.showsAdministratorsMore { access = [401, 429] }
    if operation.audience == .administrators, operation.method != "GET",
      operation.path.text.hasPrefix("/api/")
    {
      access.append(415)
    }
    for status in Set(operation.errors + access).sorted() {
      members.append(
        .init(key: "\(status)", value: ["$ref": "#/components/responses/Error"]))
    }
    return .object(members)
  }

  private static func describe(_ answer: Operation.Answer) -> JSON {
    var members: [JSON.Member] = [
      .init(key: "description", value: answer.status < 400 ? "Done." : "Not now.")
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

  private static let errorResponse: JSON = [
    "description": "What went wrong: a code for programs, a sentence for people.",
    "content": ["application/json": ["schema": Schema.named("Error")]],
  ]
}
