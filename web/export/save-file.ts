/** Offers bytes or a text to the user as a file. */
export function saveFile(content: Uint8Array | string, media: string, name: string): void {
  const address = URL.createObjectURL(new Blob([content as Uint8Array<ArrayBuffer>], { type: media }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // the browser reads the address after the click
}
