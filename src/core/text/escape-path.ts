/** A path in a repository, or the name of a reference, as it stands in an address: its slashes stay. */
export const escapePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/")
