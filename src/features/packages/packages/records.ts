import { dateTime, int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { Repository } from "../../code/repositories/records.ts"
import { User } from "../../people/users/records.ts"

/** The registries that clients may ask for. */
export const TYPES = [
  "alpine",
  "cargo",
  "chef",
  "composer",
  "conan",
  "conda",
  "container",
  "cran",
  "debian",
  "generic",
  "go",
  "helm",
  "maven",
  "npm",
  "nuget",
  "pub",
  "pypi",
  "rpm",
  "rubygems",
  "swift",
  "terraform",
  "vagrant",
] as const

/** A version of a package. */
export const Package = record("Package", {
  id: int64(),
  owner: User,
  repository: nullable(Repository),
  creator: User,
  type: Type.String(),
  name: Type.String(),
  version: Type.String(),
  html_url: Type.String(),
  created_at: dateTime(),
})

export const PackageFile = record("PackageFile", {
  id: int64(),
  size: int64(),
  name: Type.String(),
  md5: Type.String(),
  sha1: Type.String(),
  sha256: Type.String(),
  sha512: Type.String(),
})

export const SetPackageAccessOption = record("SetPackageAccessOption", {
  access: oneOf(["public", "restricted"], { description: "restricted: only those who belong to the owner see it" }),
})
