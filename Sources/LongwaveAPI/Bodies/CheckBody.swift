import Ingest
import Longwave

/// The body of `POST /api/v1/stations/check`: `upstream`, a URL or a list of them, as in a station's definition.
enum CheckBody {
  static func urls(_ json: JSON) throws(APIError) -> [String] {
    let problems = SettingReader.Problems(file: "", sections: ConfigurationKeys.sections)
    let reader = SettingReader(
      SettingNode(json: json.withoutNulls), path: "", known: ["upstream"], problems: problems)
    var urls: [String] = []
    reader.readList("upstream", into: &urls, .upstreamURL)
    if let problem = problems.list.first {
      throw APIError.badField(SettingKey.json(problem.key), problem.message)
    }
    func refuse(_ words: String) -> APIError { .badField("upstream", words) }
    if urls.isEmpty { throw refuse("is missing; write one URL, or a list of them") }
    if urls.count > UpstreamChecker.urlsMax {
      throw refuse("has \(urls.count) URLs; write at most \(UpstreamChecker.urlsMax)")
    }
    if urls.contains(PushSource.url) {
      throw refuse("has push:, which comes by itself: there is nothing to try")
    }
    return urls
  }
}
