export const B = 'b';
export async function main() {}
