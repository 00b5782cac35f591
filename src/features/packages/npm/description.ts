import type { Described, Description } from "../packages/registry.ts"
import { type Fields, isFields, textOf } from "./document.ts"
import { readMetadata, registryUrl } from "./metadata.ts"

const MOST_KEYWORDS = 20
const MOST_NEEDED = 300

const NEEDS = {
  dependencies: "Dependencies",
  peerDependencies: "Peer dependencies",
  optionalDependencies: "Optional dependencies",
  devDependencies: "For development",
} as const

/** What a package.json says of a version. It has the members that its publisher gave it, of whatever kind. */
export function describe({ site, owner, of: { name }, version }: Described): Description {
  const { manifest, readme } = readMetadata(version)
  const scope = /^(@[^/]+)\//.exec(name)?.[1]
  const registry = `${registryUrl(site, owner)}/`
  const exact = `${name}@${version.version}`
  const { license, keywords } = manifest
  const said = {
    summary: textOf(manifest["description"]),
    deprecated: textOf(manifest["deprecated"]),
    license: textOf(license) ?? (isFields(license) ? textOf(license["type"]) : undefined),
    website: textOf(manifest["homepage"]),
    readme,
  }
  return {
    commands: scope
      ? [
          { title: "Once, in .npmrc:", text: `${scope}:registry=${registry}` },
          { title: "Install it:", text: `npm install ${exact}` },
        ]
      : [{ title: "Install it:", text: `npm install --registry=${registry} ${exact}` }],
    ...Object.fromEntries(Object.entries(said).filter(([, text]) => text !== undefined && text.trim() !== "")),
    keywords: Array.isArray(keywords) ? keywords.flatMap((word) => textOf(word) ?? []).slice(0, MOST_KEYWORDS) : [],
    needs: Object.entries(NEEDS).flatMap(([member, title]) => {
      const packages = packagesIn(manifest[member])
      return packages.length > 0 ? [{ title, packages }] : []
    }),
  }
}

const packagesIn = (member: Fields[string]): readonly (readonly [string, string])[] =>
  isFields(member)
    ? Object.entries(member)
        .slice(0, MOST_NEEDED)
        .map(([name, range]) => [name, textOf(range) ?? ""])
    : []
