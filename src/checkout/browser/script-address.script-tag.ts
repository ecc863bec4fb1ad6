/** The address of the script tag's file, in that very file. */

export const scriptAddress: string | null = import.meta.url;
