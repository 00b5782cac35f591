/** The media type that a Content-Type header names, without its parameters and in lower case. */
export const mediaTypeOf = (header: string | undefined): string | undefined => header?.split(";", 1)[0]?.trim().toLowerCase()
