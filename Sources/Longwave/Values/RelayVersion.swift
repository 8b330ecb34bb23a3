/// The program's own name and number.
public enum RelayVersion {
  public static let number = "1.0.0"
  public static let name = "Longwave/\(number)"
}
