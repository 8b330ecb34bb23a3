import Ingest
import Wire

extension UpstreamFinding: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("url", \.url), Shape("ok", \.isPlayable), Shape("codec", \.codec?.name),
    Shape("bitrate", \.bitrate), Shape("name", \.name), Shape("title", \.title),
    Shape("trouble", \.trouble), Shape("steps", \.steps),
  ]
}

extension UpstreamFinding.Step: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("step", \.kind), Shape("text", \.text), Shape("seconds", \.seconds),
  ]
}

extension UpstreamFinding.Step.Kind: Shaped {}
