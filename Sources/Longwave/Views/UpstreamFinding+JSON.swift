import Ingest
import Wire

extension UpstreamFinding {
  package var json: JSON {
    [
      "url": .string(url), "ok": .bool(isPlayable), "codec": JSON(codec?.name),
      "bitrate": JSON(bitrate), "name": JSON(name), "title": JSON(title),
      "trouble": JSON(trouble), "steps": .array(steps.map(\.json)),
    ]
  }
}

extension UpstreamFinding.Step {
  fileprivate var json: JSON {
    ["step": .string(kind.rawValue), "text": .string(text), "seconds": .number(seconds)]
  }
}
