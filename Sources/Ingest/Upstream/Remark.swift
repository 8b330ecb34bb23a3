/// What people are told of an upstream that plays and does something odd.
enum Remark {
  static func of(_ pipeline: Pipeline, _ transfer: (any BodyTransfer)?) -> String? {
    if let metaint = pipeline.metaintFound { return undeclaredBlocks(metaint) }
    return (transfer as? Transfer)?.refusesTitles == true ? refusedTitles : nil
  }

  private static let refusedTitles =
    "the upstream refuses to be asked for titles and is asked without; icy: false does so at once"

  private static func undeclaredBlocks(_ metaint: Int) -> String {
    "the upstream sends a title block every \(metaint) bytes without icy-metaint; they are read"
  }
}
