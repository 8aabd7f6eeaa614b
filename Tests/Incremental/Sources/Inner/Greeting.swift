internal import CName

/// Returns a greeting. The script gives it a parameter with a default value, so that its callers need not be changed.
package func greeting() -> String { "hello" }

/// What the script changes without a word in any source.
package let embeddedName = String(cString: cname_text())
