/** Pixels of a strip: 1.8 MB of 110 scenes, and enough strips for the threads to end a pass together. What is saved of a stack is saved by them. */
export const STRIP_PIXELS = 4096;
