import CYaml

/// Measures a YAML text before it is composed. An alias stands for all that its anchor has, nested aliases included, so
/// half a kilobyte can become gigabytes.
struct YAMLMeasure {
  /// Most nodes: a configuration of 10,000 stations with fifty values each has about that many, some 100 MB in memory.
  static let nodesMax = 1_000_000
  /// Most bytes that aliases repeat: 6 KB for each of 10,000 stations.
  static let repeatedMax = 64 << 20
  /// Deepest nesting; people nest six deep.
  static let depthMax = 64

  struct Problem: Hashable {
    var line: Int
    var message: String
  }

  /// Nodes, the bytes of their texts, and how deep they are nested.
  private struct Size {
    var nodes = 1
    var bytes = 0
    var depth = 0

    mutating func add(_ other: Size) {
      nodes = min(nodes + other.nodes, nodesMax + 1)
      bytes = min(bytes + other.bytes, repeatedMax + 1)
      depth = max(depth, other.depth + 1)
    }
  }

  /// An open list or mapping, and what is in it so far.
  private struct Open {
    var anchor: String?
    var size = Size()
  }

  private var open: [Open] = []
  private var anchors: [String: Size] = [:]
  private var total = 0
  /// Bytes of texts that stand for aliases.
  private var repeated = 0

  /// Returns what of the text is too much; nil when nothing is, or when it is no YAML, which its reader explains
  /// better.
  static func problem(in yaml: String) -> Problem? {
    var yaml = yaml
    return yaml.withUTF8 { bytes in
      var parser = yaml_parser_t()
      guard yaml_parser_initialize(&parser) == 1 else { return nil }
      defer { yaml_parser_delete(&parser) }
      yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
      var measure = YAMLMeasure()
      while true {
        var event = yaml_event_t()
        guard yaml_parser_parse(&parser, &event) == 1 else { return nil }
        defer { yaml_event_delete(&event) }
        if event.type == YAML_STREAM_END_EVENT { return nil }
        if let message = measure.add(event) {
          return Problem(line: Int(event.start_mark.line) + 1, message: message)
        }
      }
    }
  }

  private mutating func add(_ event: yaml_event_t) -> String? {
    var depth = 0
    switch event.type {
    case YAML_SCALAR_EVENT:
      add(
        Size(bytes: min(event.data.scalar.length, Self.repeatedMax + 1)),
        anchor: event.data.scalar.anchor.map(Self.text))
    case YAML_ALIAS_EVENT:
      let size = event.data.alias.anchor.flatMap { anchors[Self.text($0)] } ?? Size()
      repeated = min(repeated + size.bytes, Self.repeatedMax + 1)
      depth = size.depth
      add(size, anchor: nil)
    case YAML_SEQUENCE_START_EVENT:
      open.append(Open(anchor: event.data.sequence_start.anchor.map(Self.text)))
    case YAML_MAPPING_START_EVENT:
      open.append(Open(anchor: event.data.mapping_start.anchor.map(Self.text)))
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
      if let done = open.popLast() { add(done.size, anchor: done.anchor) }
    default: break
    }
    if open.count + depth > Self.depthMax { return "is nested more than \(Self.depthMax) deep" }
    if total > Self.nodesMax {
      return "comes to more than \(Self.nodesMax) values with all that its aliases stand for; "
        + "write less, or in several files"
    }
    if repeated > Self.repeatedMax {
      return
        "has aliases that stand for more than \(Self.repeatedMax >> 20) MiB of texts; write less"
    }
    return nil
  }

  private mutating func add(_ size: Size, anchor: String?) {
    if let anchor { anchors[anchor] = size }
    guard !open.isEmpty else { return }
    open[open.count - 1].size.add(size)
    total = max(total, open[open.count - 1].size.nodes)
  }

  private static func text(_ bytes: UnsafeMutablePointer<yaml_char_t>) -> String {
    String(cString: bytes)
  }
}
